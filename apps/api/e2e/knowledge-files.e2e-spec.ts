import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KnowledgeDocumentDetail } from '@platform/contracts';
import { makeZip, type ZipFile } from './fixtures/zip.ts';
import { TestApp } from './harness/app.ts';
import { eventually } from './harness/eventually.ts';
import { verifies } from './verifies.ts';

let app: TestApp;

beforeAll(async () => {
  app = await TestApp.start();
});
afterAll(() => app.close());

const GBK_NAME = Buffer.from('d6c6b6c8', 'hex');
const fixture = (name: string) =>
  new Uint8Array(readFileSync(join(import.meta.dirname, 'fixtures/knowledge', name)));

function settled(id: string): Promise<KnowledgeDocumentDetail> {
  return eventually(async () => {
    const document = await app.client().knowledge.getDocument(id);
    expect(document.status).not.toBe('PROCESSING');
    return document;
  });
}

async function addFile(fileName: string, data: Uint8Array): Promise<KnowledgeDocumentDetail> {
  const file = new Blob([new Uint8Array(data)]);
  return settled((await app.client().knowledge.createDocument({ file, fileName })).id);
}

function archive(files: readonly ZipFile[]): FormData {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(makeZip(files))]), 'handbook.zip');
  return form;
}

const send = (raw: FormData, as = app.admin) =>
  app.request<{ message: string }>('POST', '/api/knowledge/archives', { raw, as });

describe('files', () => {
  verifies('knowledge.files', 'of Word, Excel, and PowerPoint are found by their text', async () => {
    for (const [name, query] of [
      ['travel.docx', 'euros per night'],
      ['prices.xlsx', '烤面包机'],
      ['goals.pptx', 'answering tickets'],
    ] as const) {
      const { status, error } = await addFile(name, fixture(name));
      expect([status, error]).toEqual(['READY', null]);
      const { documents } = await app.client().knowledge.search({ query });
      expect(documents[0]?.title).toBe(name);
    }
  });

  verifies('knowledge.encodings', 'say in which encoding their text was', async () => {
    const text = Buffer.from('d4b1b9a4c8ebd6b0c2fad2bbc4ea', 'hex');
    const { encoding, excerpt } = await addFile('gbk.txt', text);
    expect([encoding, excerpt]).toEqual(['gb18030', '员工入职满一年']);
    expect((await addFile('utf-8.txt', Buffer.from('员工'))).encoding).toBeNull();
  });
});

describe('archives', () => {
  verifies(
    'knowledge.archives',
    'become documents, and what is none is skipped with the reason',
    async () => {
      const uploaded = await app.client().knowledge.uploadArchive({
        file: new Blob([
          new Uint8Array(
            makeZip([
              { name: 'rules/', data: '' },
              { name: 'rules/pets.md', data: '# Pets\n\nDogs are welcome.' },
              { name: Buffer.concat([GBK_NAME, Buffer.from('\\a.txt')]), data: '猫也可以来。' },
              { name: 'travel.docx', data: Buffer.from(fixture('travel.docx')) },
              { name: '../../outside.txt', data: 'A path is only a name.' },
              { name: '__MACOSX/._pets.md', data: 'x' },
              { name: 'rules/.DS_Store', data: 'x' },
              { name: 'inner.zip', data: makeZip([{ name: 'a.md', data: 'a' }]) },
              { name: 'rules/fees.json', data: '{"boat": 5}' },
              { name: 'tool.exe', data: 'MZ' },
              { name: 'empty.txt', data: '' },
            ]),
          ),
        ]),
        fileName: 'handbook.zip',
      });
      expect(uploaded.documents.map(({ title, fileName }) => [title, fileName])).toEqual([
        ['pets.md', 'rules/pets.md'],
        ['a.txt', '制度/a.txt'],
        ['travel.docx', 'travel.docx'],
        ['outside.txt', '../../outside.txt'],
        ['fees.json', 'rules/fees.json'],
      ]);
      expect(uploaded.skipped).toEqual([
        { fileName: 'inner.zip', reason: 'An archive in an archive is not opened.' },
        { fileName: 'tool.exe', reason: expect.stringMatching(/^The file must be text, Markdown/) },
        { fileName: 'empty.txt', reason: 'The file is empty.' },
      ]);
      for (const { id } of uploaded.documents) expect((await settled(id)).status).toBe('READY');
      const { documents } = await app.client().knowledge.search({ query: 'may dogs come' });
      expect(documents[0]?.title).toBe('pets.md');
    },
  );

  verifies(
    ['knowledge.archives', 'knowledge.hostile'],
    'are refused as a whole, and store nothing',
    async () => {
      const count = async () => (await app.client().knowledge.listDocuments({ limit: 100 })).items.length;
      const before = await count();
      const refused = async (files: readonly ZipFile[]) => {
        const { status, body } = await send(archive(files));
        return [status, body.message];
      };
      const bomb = { name: 'b.txt', data: Buffer.alloc(30 * 1024 * 1024, 'a ') };
      expect(await refused([{ name: 'a.txt', data: 'fine' }, bomb])).toEqual([
        400,
        'The archive unpacks to more than can be read.',
      ]);
      const many = Array.from({ length: 1_001 }, (_, i) => ({ name: `${i}.txt`, data: 'x' }));
      expect(await refused(many)).toEqual([400, 'The archive has more than 1000 files.']);
      const longName = { name: `${'a'.repeat(1_025)}/`, data: '' };
      expect(await refused([{ name: 'a.txt', data: 'fine' }, longName])).toEqual([
        400,
        'The archive has a file whose name is longer than 1024 bytes.',
      ]);
      expect(await refused([{ name: 'a.exe', data: 'x' }])).toEqual([
        400,
        'The archive contains no document whose text can be read.',
      ]);
      const none = new FormData();
      none.append('file', new Blob(['no zip']), 'a.zip');
      expect((await send(none)).body.message).toBe('The archive is damaged or not valid.');
      none.append('title', 'x');
      expect((await send(none)).body.message).toBe('title is not a known field');
      expect((await app.request('POST', '/api/knowledge/archives', { body: {} })).status).toBe(400);
      expect((await send(archive([{ name: 'a.txt', data: 'x' }]), app.member)).status).toBe(403);
      expect(await count()).toBe(before);
    },
  );
});
