import { useBulk } from '../table/bulk';

export function ExampleRemoval({ ids }: { ids: readonly string[] }) {
  const bulk = useBulk();
  return (
    <button type="button" className="link" onClick={() => void bulk.remove(ids)}>
      Remove the example
    </button>
  );
}
