import type { ReactNode } from 'react';
import { Link } from 'react-router';

interface FigureProps {
  label: string;
  /** Undefined while it is loading. */
  value: ReactNode;
  detail?: ReactNode;
  /** Whether something moves right now. */
  isLive?: boolean;
  /** The list behind the figure. */
  to: string;
}

export function Figure({ label, value, detail, isLive = false, to }: FigureProps) {
  return (
    <Link to={to} className="figure-card">
      <span className="muted">
        {label}
        {isLive && <span className="live-dot" aria-hidden />}
      </span>
      <strong>{value ?? <span className="skeleton-bar" />}</strong>
      <small className="muted">{detail}</small>
    </Link>
  );
}
