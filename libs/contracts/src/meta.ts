/** Response of `GET /api/health/ready`. */
export interface Health {
  status: 'ok' | 'unavailable';
  checks: Record<string, 'up' | 'down'>;
}
