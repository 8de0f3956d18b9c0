/** Events of what people read, also of more readers than are kept. */
import "./AccessEvents.test.ts"
