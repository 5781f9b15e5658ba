interface CurlPost {
  url: string;
  /** JSON. */
  body: string;
  /** Options of curl before the URL. */
  options?: string[];
  /** Headers besides the API key and the content type, such as `Accept: text/event-stream`. */
  headers?: string[];
}

/** Returns a POST request to the platform as a curl command. The API key comes from the environment. */
export function formatCurlPost({ url, body, options = [], headers = [] }: CurlPost): string {
  return [
    ['curl', ...options, quoteForShell(url)].join(' '),
    `  -H "Authorization: Bearer $PLATFORM_API_KEY"`,
    ...['Content-Type: application/json', ...headers].map((header) => `  -H ${quoteForShell(header)}`),
    `  -d ${quoteForShell(body)}`,
  ].join(' \\\n');
}

/** Quotes a value for a POSIX shell. */
function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
