import { CloseOutlined } from '@ant-design/icons';
import type { AgentTool, ToolListing } from '@platform/contracts';
import { useQuery } from '@tanstack/react-query';
import { Button, Select } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../../paths.ts';
import { NameOf } from '../../../ui/names/name-of.tsx';
import { NameSelect } from '../../../ui/names/name-select.tsx';
import { useOffered } from '../../../ui/names/use-offered.ts';
import { PoliciesField } from '../../approvals/policies-field.tsx';
import { toolListingsQuery, toolNames, toolQuery } from '../../tools/tools-query.ts';

interface AgentToolsFieldProps {
  /** Set by the form around it. */
  id?: string;
  value?: AgentTool[];
  onChange?: (tools: AgentTool[]) => void;
  /** Tools that are chosen elsewhere. */
  hidden?: readonly string[];
}

/** The tools of the space that an agent or an MCP client can call, each with all or some of its methods. */
export function AgentToolsField({ id, value = [], onChange, hidden = [] }: AgentToolsFieldProps) {
  const { t } = useTranslation();
  const chosen = value.map(({ toolId }) => toolId);
  const listings = useQuery(toolListingsQuery(chosen));
  const offered = useOffered(toolNames, '');
  const isNone = offered.items.every(({ id: toolId }) => hidden.includes(toolId));
  const change = (toolId: string, changed: Partial<AgentTool>) =>
    onChange?.(value.map((tool) => (tool.toolId === toolId ? { ...tool, ...changed } : tool)));
  return (
    <div className="stack agent-tools">
      {value.length > 0 && (
        <ul className="stack" aria-label={t('tools.chosen')}>
          {value.map((tool) => (
            <ChosenTool
              key={tool.toolId}
              tool={tool}
              listing={listings.data?.find(({ id: toolId }) => toolId === tool.toolId)}
              isLoaded={listings.isSuccess && !listings.isPlaceholderData}
              onChange={(changed) => change(tool.toolId, changed)}
              onRemove={() => onChange?.(value.filter(({ toolId }) => toolId !== tool.toolId))}
            />
          ))}
        </ul>
      )}
      {value.length === 0 && offered.isLoaded && (
        <p className="muted">
          {t(isNone ? 'tools.noneInSpace' : 'tools.noneChosen')}{' '}
          <Link to={paths.tools}>{t('tools.openList')}</Link>
        </p>
      )}
      <NameSelect<ToolListing, object, string | null>
        {...(id !== undefined && { id })}
        source={toolNames}
        except={[...hidden, ...chosen]}
        value={null}
        placeholder={t('tools.add')}
        aria-label={t('tools.add')}
        onChange={(toolId: string | null) =>
          toolId !== null && onChange?.([...value, { toolId, methods: null }])
        }
      />
    </div>
  );
}

interface ChosenToolProps {
  tool: AgentTool;
  listing: ToolListing | undefined;
  isLoaded: boolean;
  onChange: (changed: Partial<AgentTool>) => void;
  onRemove: () => void;
}

function ChosenTool({ tool, listing, isLoaded, onChange, onRemove }: ChosenToolProps) {
  const { t } = useTranslation();
  const { toolId, methods } = tool;
  const details = useQuery({ ...toolQuery(toolId), enabled: listing !== undefined });
  const name = listing?.name ?? toolId;
  const offered = details.data?.methods.map((method) => method.name) ?? [];
  // A method that no longer exists stays visible, so that it can be removed.
  const options = [...new Set([...offered, ...(methods ?? [])])];
  return (
    <li className="agent-tool">
      <div className="row">
        <span className="grow">
          {listing === undefined ? (
            <NameOf source={toolNames} id={toolId} />
          ) : (
            <Link to={paths.tool(toolId)}>{name}</Link>
          )}{' '}
          {listing === undefined && isLoaded && <span className="badge warning">{t('tools.missing')}</span>}
        </span>
        <Button
          type="text"
          size="small"
          icon={<CloseOutlined aria-hidden />}
          aria-label={t('tools.removeNamed', { name })}
          title={t('tools.remove')}
          onClick={onRemove}
        />
      </div>
      {listing !== undefined && listing.methodCount > 1 && (
        <Select
          mode="multiple"
          allowClear
          loading={details.isFetching}
          {...(details.isLoadingError && { notFoundContent: t('names.notLoaded') })}
          aria-label={t('tools.methodsNamed', { name })}
          placeholder={t('tools.allMethods', { count: listing.methodCount })}
          maxTagCount={6}
          value={methods ?? []}
          options={options.map((method) => ({ value: method, label: method }))}
          onChange={(chosen: string[]) => onChange({ methods: chosen.length === 0 ? null : chosen })}
        />
      )}
      {details.data !== undefined && (
        <PoliciesField
          methods={details.data.methods.filter(({ name: method }) => methods?.includes(method) ?? true)}
          value={tool.policies}
          onChange={(policies) => onChange({ policies })}
        />
      )}
    </li>
  );
}
