// Everything that changes an application on its own page. Each answer brings the page's whole content
// with it, the newest history too.

import { useApolloClient } from '@apollo/client/react';
import { useMemo } from 'react';

import { useSend } from '../api/change';
import { newId } from '../api/ids';
import { forget, readPlaced } from '../api/lists';
import { graphql } from '../gql';
import type { UpdateApplicationInput, UpdateInterviewStageInput } from '../gql/graphql';
import { useNotices } from '../ui/notices';

const Edit = graphql(`
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

const Restore = graphql(`
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

const Delete = graphql(`
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

const AddStage = graphql(`
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

const CompleteStage = graphql(`
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

const EditStage = graphql(`
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

const RemoveStage = graphql(`
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

const Reorder = graphql(`
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

/** The same for a stage. */
export type StagePatch = Omit<UpdateInterviewStageInput, 'id' | 'expectedVersion'>;

/** The changes of one application and its stages. */
export function usePageChanges(id: string) {
  const client = useApolloClient();
  const notices = useNotices();
  const send = useSend();

  return useMemo(
    () => ({
      edit: (patch: Patch, wish: string) =>
        send({
          application: id,
          wish,
          mutation: Edit,
          variables: (expectedVersion) => ({ input: { ...patch, id, expectedVersion } }),
          payload: (data) => data.updateApplication,
        }),
      restore: (sequence: number) =>
        send({
          application: id,
          wish: `go back to version ${sequence}`,
          mutation: Restore,
          variables: (expectedVersion) => ({ input: { id, sequence, expectedVersion } }),
          payload: (data) => data.restoreApplication,
        }),
      addStage: (name: string) => {
        const stageId = newId();
        return send({
          application: id,
          wish: `add the stage “${name}”`,
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
          mutation: CompleteStage,
          variables: (expectedVersion) => ({ input: { id: stage, expectedVersion } }),
          payload: (data) => data.completeInterviewStage,
        }),
      editStage: (stage: string, patch: StagePatch) =>
        send({
          application: id,
          wish: 'change a stage',
          mutation: EditStage,
          variables: (expectedVersion) => ({ input: { ...patch, id: stage, expectedVersion } }),
          payload: (data) => data.updateInterviewStage,
        }),
      removeStage: (stage: string) =>
        send({
          application: id,
          wish: 'remove a stage',
          mutation: RemoveStage,
          variables: (expectedVersion) => ({ input: { id: stage, expectedVersion } }),
          payload: (data) => data.removeInterviewStage,
        }),
      reorderStages: (stageIds: string[]) =>
        send({
          application: id,
          wish: 'put the stages in another order',
          mutation: Reorder,
          variables: (expectedVersion) => ({
            input: { applicationId: id, stageIds, expectedVersion },
          }),
          payload: (data) => data.reorderInterviewStages,
        }),
      /** Deletes it for good, and answers whether it is gone. */
      remove: async () => {
        const before = readPlaced(client.cache, id);
        if (!before) return true;
        try {
          const { data } = await client.mutate({
            mutation: Delete,
            variables: { input: { id, expectedVersion: before.version } },
            context: { application: id },
          });
          const [problem] = data?.deleteApplication?.userErrors ?? [];
          if (problem) notices.warn(problem.message);
          else forget(client.cache, before);
          return !problem;
        } catch {
          notices.warn('This could not be deleted: the server does not answer.');
          return false;
        }
      },
    }),
    [client, id, notices, send],
  );
}

/** The changes of one application and its stages. */
export type PageChanges = ReturnType<typeof usePageChanges>;
