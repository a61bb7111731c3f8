// The salary of an application, as people write it into its fields.

import type { FactsFragment, PlacedFragment } from '../gql/graphql';
import { type Agreed, amountProblem, amounts, currencyOf } from '../ui/amounts';
import { money } from '../ui/money';
import type { EditPatch, Patch } from './changes';
import type { Kind } from './Editor';

/** What of an application is its salary. */
type Paid = Pick<FactsFragment, 'salaryMin' | 'salaryMax' | 'salaryCurrency' | 'salaryPeriod'>;

/** The field of one end of the salary: an amount, a range, and either with its currency and what it is paid for. */
export function payField(data: Paid, field: 'salaryMin' | 'salaryMax', edit: EditPatch) {
  const other = field === 'salaryMin' ? data.salaryMax : data.salaryMin;
  const agreed: Agreed = {
    currency: data.salaryCurrency,
    // Of a lone amount it can be said anew.
    period: other === null ? null : data.salaryPeriod,
    beside: other,
  };
  const kind: Kind = {
    type: 'amount',
    read: (text) => (amountProblem(text, agreed) === null ? text : null),
    wrong: (text) => amountProblem(text, agreed) ?? '',
  };
  return {
    value: data[field]?.toString() ?? '',
    kind,
    shown: (text: string) => {
      const read = amounts(text);
      if (!read) return text;
      const code = data.salaryCurrency ?? currencyOf(read);
      return read.max === null ? money(read.min, code) : `${money(read.min, code)} – ${money(read.max, code)}`;
    },
    save: (text: string | null, seen: PlacedFragment | null) => edit(patchOf(data, field, text), seen),
  };
}

/** An amount brings the currency that it names, or that the person chose for all, where none is stored. */
function patchOf(data: Paid, field: 'salaryMin' | 'salaryMax', text: string | null): Patch {
  const read = text === null ? null : amounts(text);
  if (!read) return { [field]: null };
  const code = data.salaryCurrency === null ? currencyOf(read) : null;
  return {
    ...(read.max === null ? { [field]: read.min } : { salaryMin: read.min, salaryMax: read.max }),
    ...(code !== null && { salaryCurrency: code }),
    ...(read.period !== null && read.period !== data.salaryPeriod && { salaryPeriod: read.period }),
  };
}
