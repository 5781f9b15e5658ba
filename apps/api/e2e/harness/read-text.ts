/** The text of a response; the beginning of one that has no end. */
export async function readText(response: Response, path: string): Promise<string> {
  if (!response.ok || !path.startsWith('/api/changes')) return response.text();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('\n\n')) {
    const part = await reader?.read();
    if (part === undefined || part.done) break;
    text += part.value;
  }
  await reader?.cancel();
  return text;
}
