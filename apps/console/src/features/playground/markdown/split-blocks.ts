/** Splits Markdown at blank lines, but not inside fenced code blocks. Joining the blocks with `\n` restores the text. */
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
