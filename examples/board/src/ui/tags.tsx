// The tags of an application where they are shown.

export function Tags({ tags }: { tags: readonly string[] }) {
  return (
    <>
      {tags.map((tag) => (
        <span key={tag} className="tag" dir="auto">
          {tag}
        </span>
      ))}
    </>
  );
}
