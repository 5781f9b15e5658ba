/** More files than that are not uploaded by accident. */
export const MAX_FILES = 2_000;
/** So many files that are left out are counted: a whole disk can be dropped. */
const MAX_COUNTED = 50_000;
/** What systems and programs add to folders. */
const HIDDEN = /^(?:\.|__MACOSX$|Thumbs\.db$|desktop\.ini$)/i;

/** What was found in what was dropped. */
export interface FoundFiles {
  files: File[];
  /** How many files are beyond the limit. */
  leftOut: number;
  /** Whether there are more than these. */
  hasMore: boolean;
  /** The names of files and folders that could not be read. */
  unreadable: string[];
}

/** The files that were dropped, and those in dropped folders, without hidden files and folders in these. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<FoundFiles> {
  const found: FoundFiles = { files: [], leftOut: 0, hasMore: false, unreadable: [] };
  // The list is empty as soon as the event has ended.
  const waiting = [...items].flatMap((item) => item.webkitGetAsEntry() ?? []);
  if (waiting.length === 0) return { ...found, files: [...files] };
  const chosen = new Set(waiting);
  for (const entry of waiting) {
    if (HIDDEN.test(entry.name) && !chosen.has(entry)) continue;
    if (found.leftOut >= MAX_COUNTED) return { ...found, hasMore: true };
    try {
      // What is found is added behind, where the loop comes to it.
      if (entry.isDirectory)
        for await (const part of partsOf(entry as FileSystemDirectoryEntry)) waiting.push(...part);
      else if (found.files.length >= MAX_FILES) found.leftOut++;
      else found.files.push(await fileOf(entry as FileSystemFileEntry));
    } catch {
      found.unreadable.push(entry.name);
    }
  }
  return found;
}

/** Whether neither a file of a chosen folder nor a folder in which it is there is hidden. */
export function isShown({ webkitRelativePath }: File): boolean {
  const [, ...inside] = webkitRelativePath.split('/');
  return inside.every((part) => !HIDDEN.test(part));
}

/** A folder is read in parts, until one is empty. */
async function* partsOf(folder: FileSystemDirectoryEntry): AsyncGenerator<FileSystemEntry[]> {
  const reader = folder.createReader();
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (part.length === 0) return;
    yield part;
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}
