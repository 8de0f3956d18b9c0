/** How much of a limit is used. */

/** The bar; the words beside it say the numbers. */
export const Meter = ({
  label,
  value,
  limit
}: {
  readonly label: string
  readonly value: number
  readonly limit: number
}) => (
  <meter
    class="meter"
    aria-label={label}
    min={0}
    max={Math.max(limit, 1)}
    low={limit * 0.8}
    high={limit * 0.95}
    optimum={0}
    value={Math.min(value, limit)}
  />
)
