// Saved views: a filter, an order and columns under a name. A view is an address that this browser keeps.

import { Dialog, DropdownMenu } from 'radix-ui';
import { useState } from 'react';
import { useNotices } from 'trestle-web-kit/ui/notices';

import { Icon } from '../ui/icons';
import { keepViews, placeOf, readViews, type View } from './views';
import 'trestle-web-kit/styles/dialogs.css';

/** Open from the beginning: it takes the place of the button that was pressed. */
export function ViewMenu() {
  const notices = useNotices();
  const [views, setViews] = useState(readViews);
  const [naming, setNaming] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const here = placeOf();

  function keep(next: readonly View[]) {
    if (keepViews(next)) setViews(next);
    else notices.warn('This browser does not keep views.');
  }

  function forget(view: View) {
    const rest = views.filter(({ name }) => name !== view.name);
    keep(rest);
    notices.say(`“${view.name}” forgotten`, { label: 'Undo', run: () => keep(views) });
  }

  function save(name: string) {
    if (!name) {
      setProblem('Give it a name.');
      return;
    }
    keep([...views.filter((view) => view.name !== name), { name, place: here }].toSorted((one, other) => one.name.localeCompare(other.name)));
    setNaming(false);
    notices.say(`“${name}” saved in this browser`);
  }

  return (
    <>
      <DropdownMenu.Root modal={false} defaultOpen>
        <DropdownMenu.Trigger className="button" aria-label="Views">
          <Icon name="star" /> <span>Views</span>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal container={document.getElementById('content')}>
          <DropdownMenu.Content className="menu" align="start" sideOffset={6} collisionPadding={8}>
            {views.map((view) => (
              <DropdownMenu.Item key={view.name} onSelect={() => window.location.assign(view.place)}>
                <span className="tick">{view.place === here && <Icon name="check" />}</span>
                {view.name}
              </DropdownMenu.Item>
            ))}
            {views.length > 0 && <DropdownMenu.Separator />}
            <DropdownMenu.Item
              onSelect={() => {
                setProblem(null);
                setNaming(true);
              }}
            >
              Save this view
            </DropdownMenu.Item>
            {views
              .filter(({ place }) => place === here)
              .map((view) => (
                <DropdownMenu.Item key={view.name} onSelect={() => forget(view)}>
                  Forget “{view.name}”
                </DropdownMenu.Item>
              ))}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <Dialog.Root open={naming} onOpenChange={setNaming}>
        <Dialog.Portal>
          <Dialog.Overlay className="overlay" />
          <Dialog.Content className="dialog small">
            <Dialog.Title>Save this view</Dialog.Title>
            <Dialog.Description className="quiet">
              The page, its filters and search, and the table’s order and columns. A view of the same name is replaced.
            </Dialog.Description>
            <form
              className="form"
              onSubmit={(event) => {
                event.preventDefault();
                save(String(new FormData(event.currentTarget).get('name') ?? '').trim());
              }}
            >
              <label>
                <span>Name</span>
                <input name="name" maxLength={60} autoComplete="off" list="known-views" aria-describedby={problem ? 'view-problem' : undefined} />
                <datalist id="known-views">
                  {views.map(({ name }) => (
                    <option key={name} value={name} />
                  ))}
                </datalist>
              </label>
              {problem && (
                <em id="view-problem" role="alert">
                  {problem}
                </em>
              )}
              <div className="buttons">
                <Dialog.Close className="button">Cancel</Dialog.Close>
                <button className="button primary">Save</button>
              </div>
            </form>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}
