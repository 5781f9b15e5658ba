import { LockOutlined } from '@ant-design/icons';
import { startTransition, useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { paths } from '../../../paths.ts';
import { Page } from '../../../ui/layout/page.tsx';
import { EmptyState } from '../../../ui/layout/states.tsx';
import { useIsAdmin } from '../../auth/session.ts';
import { ImportMethods } from './import-methods.tsx';
import { ImportReport } from './import-report.tsx';
import { ImportSave } from './import-save.tsx';
import { ReadStep, useDocumentReader, type OpenDocument } from './read-step.tsx';
import { suggestChoice } from '../document/selection.ts';
import '../tools.css';

/** Imports a tool: reads a document in a worker, shows what it contains, and saves the chosen methods. */
export function Component() {
  const { t } = useTranslation();
  const isAdmin = useIsAdmin();
  const reader = useDocumentReader();

  const page = (content: ReactNode) => (
    <Page
      title={t('toolImport.title')}
      description={t('toolImport.description')}
      parent={{ to: paths.tools, label: t('tools.title') }}
    >
      <div className="stack-cards">{content}</div>
    </Page>
  );
  if (!isAdmin) return page(<EmptyState icon={<LockOutlined aria-hidden />} title={t('states.forbidden')} />);
  if (reader.document === null)
    return page(<ReadStep reader={reader} ways={['file', 'text', 'url', 'curl']} />);
  return page(<Choice document={reader.document} onClose={reader.close} />);
}

function Choice({
  document: { worker, overview },
  onClose,
}: {
  document: OpenDocument;
  onClose: () => void;
}) {
  const [suggested] = useState(() => suggestChoice(overview.operations));
  const [chosen, setChosen] = useState(suggested);
  const [mediaTypes, setMediaTypes] = useState<ReadonlyMap<string, string>>(new Map());
  // The form comes in a step of its own: together with the list, it would hold up the page.
  const [hasForm, setHasForm] = useState(false);
  useEffect(() => startTransition(() => setHasForm(true)), []);
  return (
    <>
      <ImportReport overview={overview} onClose={onClose} />
      <ImportMethods
        overview={overview}
        chosen={chosen}
        onChange={setChosen}
        mediaTypes={mediaTypes}
        onMediaType={(operationKey, mediaType) =>
          setMediaTypes((known) => new Map(known).set(operationKey, mediaType))
        }
      />
      {hasForm && (
        <ImportSave
          overview={overview}
          worker={worker}
          chosen={chosen}
          mediaTypes={mediaTypes}
          isChanged={chosen !== suggested || mediaTypes.size > 0}
        />
      )}
    </>
  );
}
