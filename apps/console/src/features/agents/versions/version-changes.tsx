import type { AgentVersion } from '@platform/contracts';
import { useTranslation } from 'react-i18next';
import { DiffLines } from '../../../ui/diff/diff-lines.tsx';
import { useNames } from '../../../ui/names/use-names.ts';
import { usePersonName } from '../../members/person-names.ts';
import { toolNames } from '../../tools/tools-query.ts';
import { COMPARED_FIELDS, compareVersions } from './version-diff.ts';

interface VersionChangesProps {
  before: AgentVersion['agent'];
  after: AgentVersion['agent'];
  /** Shown if nothing differs. */
  none: string;
}

/** What changed from one version of an agent to another, field by field. */
export function VersionChanges({ before, after, none }: VersionChangesProps) {
  const { t } = useTranslation();
  const toolName = useNames(toolNames);
  const personName = usePersonName();
  const changes = compareVersions(before, after, {
    tool: (id) => toolName(id) ?? id,
    person: (id) => personName(id) ?? id,
  });
  if (changes.length === 0) return <p className="muted">{none}</p>;
  return (
    <div className="version-changes">
      {changes.map(({ field, lines }) => (
        <div key={field}>
          <h3>{t(COMPARED_FIELDS[field].label)}</h3>
          <DiffLines lines={lines} label={t(COMPARED_FIELDS[field].label)} />
        </div>
      ))}
    </div>
  );
}
