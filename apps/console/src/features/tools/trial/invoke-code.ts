import { formatCurlPost } from '../../../ui/code/curl.ts';

export interface InvokeRequest {
  baseUrl: string;
  toolId: string;
  method: string;
  input: Record<string, unknown>;
}

/** Returns a call of a method as a curl command. The API key comes from the environment; that of the tool stays secret. */
export function formatCurl(request: InvokeRequest): string {
  return formatCurlPost({ url: getUrl(request), body: formatBody(request) });
}

/** Returns a call of a method as JavaScript that runs without a library. */
export function formatFetch(request: InvokeRequest): string {
  const body = formatBody(request).replaceAll('\n', '\n  ');
  return `const response = await fetch(${JSON.stringify(getUrl(request))}, {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.PLATFORM_API_KEY}\`,
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${body}),
});
const result = await response.json();
console.log(result.status, result.output);
`;
}

function getUrl({ baseUrl, toolId, method }: InvokeRequest): string {
  const [tool, name] = [toolId, method].map(encodeURIComponent);
  return `${baseUrl}/api/tools/${tool}/methods/${name}/invoke`;
}

const formatBody = ({ input }: InvokeRequest): string => JSON.stringify({ input }, null, 2);
