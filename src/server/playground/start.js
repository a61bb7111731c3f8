import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

const told = JSON.parse(document.getElementById('trestle').textContent);
const props = {
  fetcher: createGraphiQLFetcher({ url: told.endpoint }),
  defaultTabs: told.examples.map((query) => ({ query })),
};
createRoot(document.getElementById('graphiql')).render(createElement(GraphiQL, props));
