import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';

import { App } from './App';
import 'trestle-web-kit/styles/base.css';
import 'trestle-web-kit/styles/controls.css';
import 'trestle-web-kit/styles/column.css';
import './styles/page.css';

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
