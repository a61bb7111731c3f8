// Monaco runs its language services in workers. Vite turns each `?worker` import into a file of this
// origin, so the content security policy needs no `blob:`.
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphQLWorker from 'monaco-graphql/esm/graphql.worker.js?worker';

globalThis.MonacoEnvironment = {
  getWorker(_id: string, label: string) {
    switch (label) {
      case 'graphql':
        return new GraphQLWorker();
      case 'json':
        return new JsonWorker();
      default:
        return new EditorWorker();
    }
  },
};
