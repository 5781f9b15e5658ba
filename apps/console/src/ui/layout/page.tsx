import { ArrowLeftOutlined } from '@ant-design/icons';
import { useEffect, type ReactNode } from 'react';
import { Link } from 'react-router';

interface PageProps {
  title: string;
  description?: ReactNode;
  /** The parent page, shown above the title. */
  parent?: { to: string; label: string };
  actions?: ReactNode;
  /** For pages with wide tables. */
  wide?: boolean;
  children: ReactNode;
}

export function Page({ title, description, parent, actions, wide = false, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <div className={wide ? 'page wide' : 'page'}>
      {parent && (
        <Link className="crumb" to={parent.to}>
          <ArrowLeftOutlined aria-hidden /> {parent.label}
        </Link>
      )}
      <header className="page-head">
        <div className="grow">
          <h1>{title}</h1>
          {description !== undefined && <p>{description}</p>}
        </div>
        {actions !== undefined && <div className="actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}

export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Platform`;
    // What follows may have no title: an entry that is not found.
    return () => {
      document.title = 'Platform';
    };
  }, [title]);
}
