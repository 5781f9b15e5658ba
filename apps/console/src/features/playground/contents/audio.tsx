import { SoundOutlined } from '@ant-design/icons';
import type { AttachmentKind } from './part-kind.ts';

export const audioPart: AttachmentKind<'audio'> = {
  kind: 'audio',
  icon: <SoundOutlined aria-hidden />,
  accepts: (mime) => mime.startsWith('audio/'),
  input: 'audios',
  shown: 'clicked',
  create: (_, url) => ({ type: 'audio', audio_url: { url } }),
  getUrl: ({ audio_url: { url } }) => url,
  withUrl: (_, url) => ({ type: 'audio', audio_url: { url } }),
  findName: () => undefined,
  Preview: ({ src, name, autoPlay = false }) => (
    <audio controls autoPlay={autoPlay} src={src} aria-label={name} />
  ),
};
