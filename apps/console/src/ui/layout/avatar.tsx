/** Initials in a circle. Decorative, because the name is shown next to it. */
export function Avatar({ name }: { name: string }) {
  return (
    <span className="avatar" aria-hidden>
      {getInitials(name)}
    </span>
  );
}

/** Returns the initials of the first and last word of a name, or its first letter. */
function getInitials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : words;
  return letters.map((word) => Array.from(word ?? '')[0]?.toUpperCase() ?? '').join('') || '?';
}
