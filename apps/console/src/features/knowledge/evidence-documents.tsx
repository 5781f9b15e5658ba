import type { EvidenceDocument, KnowledgeEvidence } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { formatDuration } from '../../ui/format/duration.ts';
import './evidence.css';

/** What a search found, best first. All of it is foreign data, and is shown as text. */
export function EvidenceDocuments({ evidence }: { evidence: KnowledgeEvidence }) {
  const { t, i18n } = useTranslation();
  const { documents, retrievalMs, terms, notice, closest } = evidence;
  return (
    <div className="evidence">
      {terms !== undefined && <p className="muted">{t('evidence.terms', { terms })}</p>}
      {notice !== undefined && <p className="muted">{notice}</p>}
      {documents.length === 0 && notice === undefined && <p className="muted">{t('evidence.none')}</p>}
      {closest === true && documents.length > 0 && <p className="muted">{t('evidence.closest')}</p>}
      <ol>
        {documents.map((document, i) => (
          // Several passages can be from one document.
          <li key={i}>
            <p className="row wrap">
              <Title document={document} />
              <span className="badge plain">{t(`evidence.sources.${document.source}`)}</span>
              <span className="muted">{t('evidence.score', { score: document.score.toFixed(2) })}</span>
            </p>
            <p className="evidence-snippet">{document.snippet.replace(/\n{2,}/g, '\n')}</p>
          </li>
        ))}
      </ol>
      <p className="muted">{t('evidence.time', { time: formatDuration(retrievalMs, i18n.language) })}</p>
    </div>
  );
}

function Title({ document }: { document: EvidenceDocument }) {
  const { id, title, source, url } = document;
  if (source === 'knowledge') return <Link to={paths.document(id)}>{title}</Link>;
  const address = toWebAddress(url);
  if (address === null) return <strong>{title}</strong>;
  return (
    <a href={address} target="_blank" rel="noreferrer">
      {title === '' ? address : title}
    </a>
  );
}

/** Returns null for anything but a web page, such as a `javascript:` address. */
export function toWebAddress(url: string | undefined): string | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { protocol, href } = new URL(url);
  return protocol === 'http:' || protocol === 'https:' ? href : null;
}
