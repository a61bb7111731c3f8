import type { GraphQLCodegenDataMasking } from '@apollo/client/masking';

declare module '@apollo/client' {
  // Teaches Apollo's types the masks that graphql-codegen writes.
  export interface TypeOverrides extends GraphQLCodegenDataMasking.TypeOverrides {}
}
