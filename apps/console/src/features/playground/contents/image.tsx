import { PictureOutlined } from '@ant-design/icons';
import type { ImageDetail } from '@platform/contracts';
import type { AttachmentKind } from './part-kind.ts';

export const imagePart: AttachmentKind<'image_url'> = {
  kind: 'image_url',
  icon: <PictureOutlined aria-hidden />,
  accepts: (mime) => mime.startsWith('image/'),
  input: 'images',
  shown: 'visible',
  create: (_, url) => ({ type: 'image_url', image_url: { url } }),
  getUrl: ({ image_url: { url } }) => url,
  withUrl: ({ image_url: image }, url) => ({ type: 'image_url', image_url: { ...toImage(image), url } }),
  findName: () => undefined,
  Preview: ({ src, name }) => <img src={src} alt={name} />,
};

/** The history names the default level of detail. Requests rarely do. */
function toImage({ detail, ...image }: { url: string; detail?: ImageDetail | null }) {
  return { ...image, ...(detail && detail !== 'auto' && { detail }) };
}
