// Two people changed the same: shows both values, and leaves the choice to the person.

import { AlertDialog } from 'radix-ui';
import { useReturnFocus } from 'trestle-web-kit/ui/focus';

import type { Conflict } from './api/change';
import { fieldWords, inWords } from './ui/words';
import 'trestle-web-kit/styles/dialogs.css';
import './styles/conflict.css';

export function ConflictDialog({
  conflict: { seen, wish, collisions, meanwhile, again, end },
  onClose,
}: {
  conflict: Conflict;
  onClose: () => void;
}) {
  const returnFocus = useReturnFocus(`main a[href*="${CSS.escape(seen.id)}"]`);
  const words = (field: string, value: string | null) => (value === null ? 'empty' : inWords(field, value, seen.salaryCurrency));
  return (
    <AlertDialog.Root open onOpenChange={(open) => {
        if (open) return;
        end();
        onClose();
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="overlay" />
        <AlertDialog.Content className="dialog small" onCloseAutoFocus={returnFocus}>
          <AlertDialog.Title>Changed somewhere else</AlertDialog.Title>
          <AlertDialog.Description>
            {seen.companyName}, {seen.positionTitle}, was changed after you opened it. You wanted to {wish}.
          </AlertDialog.Description>
          {collisions.length > 0 ? (
            <table className="both">
              <thead>
                <tr>
                  <td />
                  <th scope="col">Yours</th>
                  <th scope="col">Theirs</th>
                </tr>
              </thead>
              <tbody>
                {collisions.map(({ field, own, other }) => (
                  <tr key={field}>
                    <th scope="row">{fieldWords(field)}</th>
                    <td>{words(field, own)}</td>
                    <td>{words(field, other)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          ) : (
            meanwhile.length > 0 && (
              <ul className="meanwhile" aria-label="Changes by others">
                {meanwhile.map((description, at) => (
                  <li key={`${at} ${description}`}>{description}</li>
                ))}
              </ul>
            )
          )}
          <div className="buttons">
            <AlertDialog.Cancel className="button">Keep theirs</AlertDialog.Cancel>
            <AlertDialog.Action className="button primary" onClick={again}>
              Save mine
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
