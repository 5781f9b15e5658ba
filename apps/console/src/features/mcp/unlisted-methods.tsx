import type { McpOffers } from '@platform/contracts';
import { Alert } from 'antd';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { paths } from '../../paths.ts';
import { useNumbers } from '../../ui/format/use-numbers.ts';

/** The methods of offered tools that clients do not see, and why. */
export function UnlistedMethods({ offers }: { offers: McpOffers }) {
  const { t } = useTranslation();
  const { whole } = useNumbers();
  const { unlistedMethods: count } = offers;
  if (count === 0) return null;
  // An earlier version of the service, during a deployment, only counts them.
  const { unlisted = [] } = offers as Partial<McpOffers>;
  const groups = Map.groupBy(unlisted, ({ toolId, limit }) => `${toolId} ${limit}`);
  return (
    <Alert
      type="warning"
      showIcon
      className="mcp-unlisted"
      title={t('mcp.unlisted', { count, formatted: whole(count) })}
      description={
        <>
          <p>{t('mcp.unlistedText')}</p>
          {[...groups].map(([key, methods]) => (
            <Group key={key} methods={methods} />
          ))}
          {count > unlisted.length && unlisted.length > 0 && (
            <p className="muted">
              {t('mcp.unlistedMore', {
                count: count - unlisted.length,
                formatted: whole(count - unlisted.length),
              })}
            </p>
          )}
        </>
      }
    />
  );
}

/** Methods of one tool for which there is no room for the same reason. */
function Group({ methods }: { methods: McpOffers['unlisted'] }) {
  const { t } = useTranslation();
  const [first] = methods;
  if (first === undefined) return null;
  const { toolId, toolName, limit } = first;
  return (
    <section aria-label={toolName}>
      <h3>
        <Link to={paths.tool(toolId)}>{toolName}</Link>
        <span className="muted"> · {t(`mcp.limits.${limit}`)}</span>
      </h3>
      <ul className="row wrap" tabIndex={0} aria-label={toolName}>
        {methods.map(({ name }) => (
          <li key={name}>
            <code>{name}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
