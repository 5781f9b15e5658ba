/** More files than that are not uploaded by accident. */
const MAX_FILES = 2_000;

/** The files that were dropped, and those in dropped folders without hidden ones. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<File[]> {
  // The list is empty as soon as the event has ended.
  const entries = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (entries.length === 0) return [...files];
  const found: File[] = [];
  const waiting: FileSystemEntry[] = entries;
  for (
    let entry = waiting.shift();
    entry !== undefined && found.length < MAX_FILES;
    entry = waiting.shift()
  ) {
    if (entry.isDirectory) waiting.push(...(await entriesOf(entry as FileSystemDirectoryEntry)));
    else found.push(await fileOf(entry as FileSystemFileEntry));
  }
  return found.filter(isShown);
}

/** Hidden files of a folder are no documents. */
export function isShown({ name }: File): boolean {
  return !name.startsWith('.') && name !== 'Thumbs.db' && name !== 'desktop.ini';
}

/** A folder is read in parts, until one is empty. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0 || all.length >= MAX_FILES) return all;
    all.push(...part);
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
