// Monaco types its own global; its worker files come as Vite's `?worker` modules.
declare var MonacoEnvironment: {
  getWorker(id: string, label: string): Worker;
};
