import { codegen } from '../web-kit/build/codegen.ts';

export default codegen('../../schemas/graph-runs.graphql', false);
