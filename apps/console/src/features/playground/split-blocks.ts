/** Cuts Markdown at its blank lines, but never inside a fenced code block. Joined by `\n` it is the text again. */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: string | null = null;
  for (const line of text.split('\n')) {
    const mark: string | undefined = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null) fence = mark ?? null;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = null;
    block.push(line);
    if (line.trim() === '' && fence === null) {
      blocks.push(block.join('\n'));
      block = [];
    }
  }
  if (block.length > 0) blocks.push(block.join('\n'));
  return blocks;
}
