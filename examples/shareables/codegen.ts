import { codegen } from '../web-kit/build/codegen.ts';

export default codegen('../../schemas/shareables.graphql', false);
