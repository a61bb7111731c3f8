// What a person sees who has no applications yet.

import { href } from '../route';
import { Icon } from '../ui/icons';

export function Welcome() {
  return (
    <section className="welcome" aria-label="Start">
      <h2>Keep track of your job search</h2>
      <p>A card for each application, from the first idea to the answer. What you have in a spreadsheet can come along.</p>
      <div className="buttons writes">
        <a className="button primary" href={href('/add')}>
          <Icon name="add" /> Add the first one
        </a>
        <a className="button" href={href('/import')}>
          <Icon name="upload" /> Import a spreadsheet
        </a>
      </div>
    </section>
  );
}
