import { FileOutlined } from '@ant-design/icons';
import type { AttachmentKind } from './part-kind.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const filePart: AttachmentKind<'file'> = {
  kind: 'file',
  icon: <FileOutlined aria-hidden />,
  accepts: () => true,
  input: null,
  shown: 'never',
  create: (name, url) => ({ type: 'file', file_info: { url, name } }),
  getUrl: ({ file_info: { url } }) => textOf(url) ?? '',
  withUrl: ({ file_info: info }, url) => ({ type: 'file', file_info: { ...info, url } }),
  findName: ({ file_info: { name } }) => textOf(name),
  Preview: () => null,
};
