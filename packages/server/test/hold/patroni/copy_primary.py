"""Makes a replica for Patroni: the primary's folder, copied between pg_backup_start and pg_backup_stop."""
import os
import subprocess
import sys

import psycopg2

options = dict(word[2:].split("=", 1) for word in sys.argv[1:])
target = options["datadir"]
os.makedirs(target, 0o700, exist_ok=True)
with psycopg2.connect(options["connstring"] + " dbname=postgres") as connection:
    cursor = connection.cursor()
    cursor.execute("SELECT pg_backup_start('copy', true)")
    cursor.execute("SHOW data_directory")
    source = cursor.fetchone()[0]
    left = ["./postmaster.pid", "./postmaster.opts", "./pg_wal/*", "./pg_replslot/*"]
    tar = ["tar", "--warning=no-file-changed", "--warning=no-file-removed", "-C", source]
    packed = subprocess.Popen(
        tar + ["--exclude=" + path for path in left] + ["-cf", "-", "."], stdout=subprocess.PIPE
    )
    subprocess.run(["tar", "-C", target, "-xf", "-"], stdin=packed.stdout, check=True)
    cursor.execute("SELECT labelfile FROM pg_backup_stop(false)")
    with open(target + "/backup_label", "w") as label:
        label.write(cursor.fetchone()[0])
