/** A media type without parameters such as `charset`, in lowercase. */
export function bareType(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}

/** Whether content of a type is bytes rather than text. */
export function isBinaryType(bare: string): boolean {
  return (
    (/^(?:audio|video|font|image)\//.test(bare) ||
      /^application\/(?:octet-stream|pdf|zip|gzip|x-tar|x-gzip|msword|vnd\.(?:ms-|openxmlformats).*)$/.test(
        bare,
      )) &&
    bare !== 'image/svg+xml'
  );
}

const EXTENSIONS: Record<string, string> = {
  'application/json': 'json',
  'application/pdf': 'pdf',
  'application/zip': 'zip',
  'audio/aac': 'aac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'image/gif': 'gif',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'text/csv': 'csv',
  'text/markdown': 'md',
  'text/plain': 'txt',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
};

/** The name of a file. Some servers tell its type by the extension alone. */
export function fileName(field: string, mediaType: string): string {
  const extension = EXTENSIONS[bareType(mediaType)];
  return extension === undefined ? field : `${field}.${extension}`;
}

/** Chooses from the types that an encoding allows: that of the file if it is among them, otherwise the first. */
export function chooseType(allowed: string | undefined, actual: string | null): string {
  const types = (allowed ?? '').split(',').map((type) => type.trim());
  const matches = (pattern: string) =>
    actual !== null &&
    (bareType(pattern) === '*/*' ||
      bareType(pattern) === bareType(actual) ||
      (pattern.endsWith('/*') && bareType(actual).startsWith(bareType(pattern).slice(0, -1))));
  if (actual !== null && (allowed === undefined || types.some(matches))) return actual;
  return types.find((type) => type !== '' && !type.includes('*')) ?? actual ?? 'application/octet-stream';
}
