import { codegen } from '../web-kit/build/codegen.ts';

export default codegen('../../schema.graphql', true);
