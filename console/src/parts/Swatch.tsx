import './chart.css'

/** The color of a series beside its name. `color` is the name of a CSS variable. */
export const Swatch = ({ color }: { color: string }) => (
  <span className="swatch" style={{ backgroundColor: `var(${color})` }} aria-hidden />
)
