// Everything that changes an application on its own page. Each answer brings the page's whole content
// with it, the newest history too.

import { useMemo } from 'react';
import { newId } from 'trestle-web-kit/api/ids';
import { today } from 'trestle-web-kit/ui/dates';

import { EVERYTHING, useSend } from '../api/change';
import type { Outcome } from '../api/kept';
import { deletion } from '../api/pending';
import { graphql } from '../gql';
import type { PlacedFragment, UpdateApplicationInput, UpdateInterviewStageInput } from '../gql/graphql';

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
  const send = useSend();

  return useMemo(() => {
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
      restore: (sequence: number) =>
        send({
          application: id,
          wish: `go back to version ${sequence}`,
          sets: EVERYTHING,
          mutation: Restore,
          variables: (expectedVersion) => ({ input: { id, sequence, expectedVersion } }),
          payload: (data) => data.restoreApplication,
        }),
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
      removeStage: (stage: string, name: string) =>
        send({
          application: id,
          wish: `remove the stage “${name}”`,
          stage,
          sets: { name: null, notes: null, isCompleted: null },
          mutation: RemoveStage,
          variables: (expectedVersion) => ({ input: { id: stage, expectedVersion } }),
          payload: (data) => data.removeInterviewStage,
          deletes: deletion(`${name} removed`, stage),
        }),
      reorderStages: (stageIds: string[], seen: PlacedFragment | null) =>
        send(
          {
            application: id,
            wish: 'put the stages in another order',
            sets: { order: null },
            mutation: Reorder,
            variables: (expectedVersion) => ({
              input: { applicationId: id, stageIds, expectedVersion },
            }),
            payload: (data) => data.reorderInterviewStages,
          },
          { seen },
        ),
      /** Deletes it as the person sees it. */
      remove: (name: string) =>
        send({
          application: id,
          wish: 'delete it',
          sets: EVERYTHING,
          mutation: Delete,
          variables: (expectedVersion) => ({ input: { id, expectedVersion } }),
          payload: ({ deleteApplication: made }) => made && { application: null, userErrors: made.userErrors },
          deletes: deletion(`${name} deleted`, id),
        }),
    };
  }, [id, send]);
}

/** The changes of one application and its stages. */
export type PageChanges = ReturnType<typeof usePageChanges>;
