import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface FigureProps {
  label: string;
  /** Undefined while it is loading. */
  value: ReactNode;
  detail?: ReactNode;
  /** The list behind the figure. */
  to: string;
}

export function Figure({ label, value, detail, to }: FigureProps) {
  return (
    <Link to={to} className="card figure-card">
      <span className="muted">{label}</span>
      <strong>{value ?? <span className="skeleton-bar" />}</strong>
      <small className="muted">{detail}</small>
    </Link>
  );
}
