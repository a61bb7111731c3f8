// The page of what comes: a month of it, whom to ask again, and the address at which a calendar subscribes to it.

import { useEffect } from 'react';

import { useTitle } from '../route';
import { Address } from './Address';
import { Month } from './Month';
import { Stale } from './Stale';
import 'trestle-web-kit/styles/dialogs.css';
import '../styles/agenda.css';

export function AgendaPage() {
  useTitle('Agenda');
  useEffect(() => {
    if (window.location.hash.startsWith('#/agenda/calendar')) document.getElementById('calendar')?.focus();
  }, []);
  return (
    <main className="agenda-page" id="content" tabIndex={-1}>
      <Month />
      <div className="agenda-side">
        <Stale />
        <Address />
      </div>
    </main>
  );
}
