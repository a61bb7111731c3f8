import './workers';

import { createLocalStorage } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

// `graphiql/style.css` would bring Monaco's rules a second time and two web fonts as data: URLs.
import '@graphiql/react/style.css';
import '@graphiql/plugin-doc-explorer/style.css';
import '@graphiql/plugin-history/style.css';
import 'graphiql/graphiql.css';
import './page.css';

import { fetcherFor } from './fetcher';
import { readSettings } from './settings';

const settings = readSettings(document);
const root = document.getElementById('playground');
if (!root) {
  throw new Error('The page has no #playground.');
}

createRoot(root).render(
  <StrictMode>
    <GraphiQL
      fetcher={fetcherFor(settings.endpoint)}
      // Each endpoint remembers its own tabs: several services share this origin.
      storage={createLocalStorage({ namespace: `trestle${settings.endpoint}` })}
      defaultTabs={settings.examples.map((query) => ({ query }))}
      // Headers hold credentials: they are gone when the page is.
      shouldPersistHeaders={false}
    />
  </StrictMode>,
);
