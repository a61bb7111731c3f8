// The arrow keys go from card to card: by Tab, a thousand cards lie between a column and the next.

const LINK = '.card h3 a';

/** Moves the focus from a card's link to its neighbour's, up, down, or in a column beside. */
export function byArrows(event: React.KeyboardEvent): void {
  const link = event.target;
  if (!(link instanceof HTMLElement) || !link.matches(LINK)) return;
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const neighbour = {
    ArrowDown: () => link.closest('li')?.nextElementSibling?.querySelector<HTMLElement>(LINK),
    ArrowUp: () => link.closest('li')?.previousElementSibling?.querySelector<HTMLElement>(LINK),
    ArrowRight: () => beside(link, 'nextElementSibling'),
    ArrowLeft: () => beside(link, 'previousElementSibling'),
  }[event.key];
  if (!neighbour) return;
  event.preventDefault();
  neighbour()?.focus();
}

/** The card at the same height in the next column that has any. */
function beside(link: HTMLElement, direction: 'nextElementSibling' | 'previousElementSibling') {
  const height = (element: Element) => element.getBoundingClientRect().top;
  const away = (element: Element) => Math.abs(height(element) - height(link));
  let column = link.closest('.column')?.[direction];
  while (column && !column.querySelector(LINK)) column = column[direction];
  const links = [...(column?.querySelectorAll<HTMLElement>(LINK) ?? [])];
  return links.toSorted((one, other) => away(one) - away(other))[0];
}
