// Everything that changes an application on its own page. Each answer brings the page's whole content
// with it, the newest history too.

import { CombinedGraphQLErrors } from '@apollo/client';
import { useApolloClient } from '@apollo/client/react';
import { useMemo } from 'react';
import { newId } from 'trestle-web-kit/api/ids';
import { isReachable } from 'trestle-web-kit/api/network';
import { keep } from 'trestle-web-kit/api/queue';
import { today } from 'trestle-web-kit/ui/dates';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { type Outcome, useSend } from '../api/change';
import { forget, readPlaced } from '../api/lists';
import { nameOf } from '../api/name';
import { reasonOf } from '../api/reason';
import { withOwn } from '../api/versions';
import { graphql } from '../gql';
import type { PlacedFragment, UpdateApplicationInput, UpdateInterviewStageInput } from '../gql/graphql';
import { FIELD_WORDS } from '../ui/words';

export const Edit = graphql(`
  mutation EditApplication($input: UpdateApplicationInput!) {
    updateApplication(input: $input) {
      application {
        id
        ...OnPage
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const Restore = graphql(`
  mutation RestoreApplication($input: RestoreApplicationInput!) {
    restoreApplication(input: $input) {
      application {
        id
        ...OnPage
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const Delete = graphql(`
  mutation DeleteApplication($input: DeleteApplicationInput!) {
    deleteApplication(input: $input) {
      deletedApplicationId
      userErrors {
        code
        message
      }
    }
  }
`);

export const AddStage = graphql(`
  mutation AddStage($input: AddInterviewStageInput!) {
    addInterviewStage(input: $input) {
      application {
        id
        ...OnPage
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const CompleteStage = graphql(`
  mutation CompleteStage($input: CompleteInterviewStageInput!) {
    completeInterviewStage(input: $input) {
      application {
        id
        ...OnPage
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const EditStage = graphql(`
  mutation EditStage($input: UpdateInterviewStageInput!) {
    updateInterviewStage(input: $input) {
      application {
        id
        ...OnPage
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const RemoveStage = graphql(`
  mutation RemoveStage($input: RemoveInterviewStageInput!) {
    removeInterviewStage(input: $input) {
      application {
        id
        ...OnPage
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const Reorder = graphql(`
  mutation ReorderStages($input: ReorderInterviewStagesInput!) {
    reorderInterviewStages(input: $input) {
      application {
        id
        ...OnPage
      }
      userErrors {
        code
        message
      }
    }
  }
`);

/** What is given changes, `null` clears, the rest stays. */
export type Patch = Omit<UpdateApplicationInput, 'id' | 'expectedVersion'>;

/** Sends a patch of what its author saw when they began to edit. */
export type EditPatch = (patch: Patch, seen: PlacedFragment | null) => Promise<Outcome>;

/** The same for a stage. */
export type StagePatch = Omit<UpdateInterviewStageInput, 'id' | 'expectedVersion'>;

const ALL_FIELDS = [...Object.keys(FIELD_WORDS), 'isArchived'];

/** The values of a patch as a history has them. */
function texts(patch: object): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(patch).map(([field, value]) => [field, textOf(value)]),
  );
}

function textOf(value: unknown): string | null {
  if (value === null) return null;
  return Array.isArray(value) ? value.join(', ') : String(value);
}

/** The changes of one application and its stages. */
export function usePageChanges(id: string) {
  const client = useApolloClient();
  const notices = useNotices();
  const send = useSend();

  return useMemo(() => {
    const restore = (sequence: number) =>
      send({
        application: id,
        wish: `go back to version ${sequence}`,
        // Everything that others changed meanwhile would be lost.
        sets: Object.fromEntries(ALL_FIELDS.map((field) => [field, null])),
        mutation: Restore,
        variables: (expectedVersion) => ({ input: { id, sequence, expectedVersion } }),
        payload: (data) => data.restoreApplication,
      });
    return {
      edit: (patch: Patch, { wish, seen }: { readonly wish: string; readonly seen: PlacedFragment | null }) =>
        send(
          {
            application: id,
            wish,
            sets: texts(patch),
            mutation: Edit,
            variables: (expectedVersion) => ({ input: { ...patch, id, expectedVersion } }),
            payload: (data) => data.updateApplication,
          },
          { seen },
        ),
      restore,
      addStage: (name: string) => {
        const stageId = newId();
        return send({
          application: id,
          wish: `add the stage “${name}”`,
          sets: {},
          mutation: AddStage,
          variables: (expectedVersion) => ({
            input: { applicationId: id, stageId, name, expectedVersion },
          }),
          payload: (data) => data.addInterviewStage,
        });
      },
      completeStage: (stage: string) =>
        send({
          application: id,
          wish: 'complete a stage',
          stage,
          sets: { isCompleted: 'true' },
          mutation: CompleteStage,
          variables: (expectedVersion) => ({ input: { id: stage, completedDate: today(), expectedVersion } }),
          payload: (data) => data.completeInterviewStage,
        }),
      editStage: (stage: string, patch: StagePatch, seen: PlacedFragment | null = null) =>
        send(
          {
            application: id,
            wish: 'change a stage',
            stage,
            sets: texts(patch),
            mutation: EditStage,
            variables: (expectedVersion) => ({ input: { ...patch, id: stage, expectedVersion } }),
            payload: (data) => data.updateInterviewStage,
          },
          { seen },
        ),
      removeStage: async (stage: string, name: string) => {
        const seen = readPlaced(client.cache, id);
        const outcome = await send({
          application: id,
          wish: `remove the stage “${name}”`,
          stage,
          sets: { name: null, notes: null, isCompleted: null },
          mutation: RemoveStage,
          variables: (expectedVersion) => ({ input: { id: stage, expectedVersion } }),
          payload: (data) => data.removeInterviewStage,
        });
        if (outcome === 'made' && seen) {
          notices.say(`${name} removed`, { label: 'Undo', run: () => void restore(seen.version) });
        }
        return outcome;
      },
      reorderStages: (stageIds: string[]) =>
        send({
          application: id,
          wish: 'put the stages in another order',
          sets: { order: null },
          mutation: Reorder,
          variables: (expectedVersion) => ({
            input: { applicationId: id, stageIds, expectedVersion },
          }),
          payload: (data) => data.reorderInterviewStages,
        }),
      /** Deletes it for good as the person saw it, and answers whether it is gone. */
      remove: async (seen: PlacedFragment | null) => {
        const before = seen ?? readPlaced(client.cache, id);
        if (!before) return true;
        const input = { id, expectedVersion: withOwn(id, before.version) };
        const name = `${before.companyName}, ${before.positionTitle}`;
        const change = { mutation: nameOf(Delete), input, application: id, name, wish: 'delete it', seen: before, sets: {} };
        const ticket = keep(change);
        const done = isReachable() ? null : notices.say(`${name} is deleted as soon as the server can be reached`);
        try {
          const { data } = await client.mutate({
            mutation: Delete,
            variables: { input },
            context: { application: id, kept: true },
          });
          ticket.end();
          const [problem] = data?.deleteApplication?.userErrors ?? [];
          if (problem) notices.warn(problem.message);
          else forget(client.cache, id, before);
          return !problem;
        } catch (error) {
          // What nobody has decided stays stored.
          if (CombinedGraphQLErrors.is(error)) ticket.end();
          notices.warn(`This could not be deleted${reasonOf(error)}.`);
          return false;
        } finally {
          done?.();
        }
      },
    };
  }, [client, id, notices, send]);
}

/** The changes of one application and its stages. */
export type PageChanges = ReturnType<typeof usePageChanges>;
