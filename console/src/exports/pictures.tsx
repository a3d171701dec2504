/** One picture per kind of destination, drawn for this console. */
import { draw } from '../parts/icons.tsx'

export const PICTURES = {
  bucket: draw(
    'M4.5 6.2c0 1.5 3.4 2.7 7.5 2.7s7.5-1.2 7.5-2.7S16.1 3.5 12 3.5 4.5 4.7 4.5 6.2l1.8 12.2c.2 1.2 2.7 2.1 5.7 2.1s5.5-.9 5.7-2.1l1.8-12.2',
  ),
  container: draw('M4 8l8-4 8 4v8l-8 4-8-4zm0 0l8 4 8-4m-8 4v8'),
  folder: draw('M3.5 6h6l2 2.5h9V19h-17zM7.5 12.5h9m-9 3h5'),
  database: draw(
    'M5 6.2c0 1.5 3.1 2.7 7 2.7s7-1.2 7-2.7-3.1-2.7-7-2.7-7 1.2-7 2.7zv11.6c0 1.5 3.1 2.7 7 2.7s7-1.2 7-2.7V6.2M5 12c0 1.5 3.1 2.7 7 2.7s7-1.2 7-2.7',
  ),
  warehouse: draw('M3.5 20V9.5L12 4l8.5 5.5V20M7.5 20v-7.5h9V20m-9-3.8h9'),
  columns: draw('M4 4.5h16v15H4zm5.3 0v15m5.4-15v15M4 9h16'),
  cloud: draw(
    'M7.5 11.5a3.6 3.6 0 0 1 .4-7.1 5 5 0 0 1 9.3 1.5 2.8 2.8 0 0 1-.2 5.6zM6.5 14.5h11v6h-11zm0 3h11M12 14.5v6',
  ),
  layers: draw('M12 3.5l8.5 4.2L12 12 3.5 7.7zm-8.5 8.4L12 16.1l8.5-4.2M3.5 16.1l8.5 4.4 8.5-4.4'),
  endpoint: draw('M3.5 12h11m0 0l-4-4m4 4l-4 4M17.5 4.5h3v15h-3'),
  check: draw(
    'M8.5 12.2l2.5 2.5 4.7-5.2M12 3.5a8.5 8.5 0 0 1 6 2.5m2.5 6a8.5 8.5 0 0 1-2.5 6M12 20.5A8.5 8.5 0 0 1 6 18m-2.5-6A8.5 8.5 0 0 1 6 6',
  ),
}
