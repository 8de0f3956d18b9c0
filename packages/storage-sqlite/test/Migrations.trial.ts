/** Databases at each earlier migration. */
import "./Migrations.test.ts"
