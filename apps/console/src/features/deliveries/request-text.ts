interface SentRequest {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Null if it is not shown. */
  body: string | null;
}

/** A request as it looks on the wire. */
export function toRequestText({ method, url, headers, body }: SentRequest): string {
  const head = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  return [head.join('\n'), ...(body === null ? [] : [body])].join('\n\n');
}
