// The sections of gamed(8) about operation: a function for each.

import Texts

extension ManualPage {
    static func addOperation(to page: inout Roff) {
        addConfiguration(to: &page)
        addAccess(to: &page)
        addConsole(to: &page)
        addSignals(to: &page)
        addEnvironment(to: &page)
        addFiles(to: &page)
    }

    private static func addConfiguration(to page: inout Roff) {
        page.section("Configuration")
        page.paragraph(
            "Each option, except the tasks, --config and --accept-loss, is a setting, and can be set in the configuration file as well: "
                + "\(Options.usualConfiguration), or the file that --config names. It is one JSON5 object; a key is the option's name without "
                + "its dashes. A value is true or false for a flag, a text, a list of texts for a repeatable option, and an "
                + "object for session, expire and limit. The installed file has every setting at its default, commented out. "
                + "The environment overrides the file, and the command line overrides both; a list is replaced as a whole. "
                + "gamed --check reports all errors with file, line and column, also while a daemon runs; "
                + "gamectl config shows effective settings and their sources.")
        page.example([
            "{", "  listen: [\"127.0.0.1:7654\"],", "  \"token-file\": \"token\",   // beside this file", "  flows: \"flows\",",
            "  session: { main: \"game\" },", "  limit: { connections: 500 },", "}",
        ])
    }

    private static func addAccess(to page: inout Roff) {
        page.section("Access")
        page.paragraph(
            "The UNIX socket admits the daemon's user, root, and the users and groups listed with --allow-user and --allow-group, each with a "
                + "role: read, play, orchestrator or master (the default). The socket's file belongs to the group; "
                + "several groups, and users, get an access list.")
        page.paragraph(
            "Over TCP and HTTP, clients send a token. gamectl token creates tokens, each with a role, and optionally with a list of sessions and "
                + "a quota. Their file must belong to root or to the daemon's user, and others must not be able to read it. A "
                + "file whose first line is a secret alone holds a master token. Without tokens, gamed does not listen on TCP, not even on "
                + "loopback, unless --trust-loopback admits every local user as a guest. A guest may do everything with sessions and change "
                + "nothing of the daemon. Ten wrong tokens in a minute block an address for the rest of that minute.")
    }

    private static func addConsole(to page: inout Roff) {
        page.section("Console")
        page.paragraph(
            "With --console, a terminal shows a session: its screen, its running clocks, and its possible events, each with a "
                + "digit. Letters begin an event's name, with its payload if it has one: enter sends it, tab completes it, escape "
                + "and backspace take it back. Space pauses or resumes, tab shows the next session, escape lists them. q (with "
                + "enter where a name begins so), ctrl-c and ctrl-d stop gamed. Where there is no session, NEW main game begins "
                + "one. Log lines go above the picture; where lines are few, clocks and actions stay.")
        page.paragraph(
            "Through pipes, and on a terminal whose TERM is dumb or not set, each line of input is an event and its payload, like "
                + "chooseEpisode 3; @NAME shows another session, and NEW name flow creates one. Every change, every refusal, and time "
                + "that ran out is printed. If the output is not read, gamed keeps 1 MiB of it, and prints the newest change, the last "
                + "refusal and the number of refusals once there is room. At the end of its input, gamed waits until its output is "
                + "read, and stops.")
    }

    private static func addSignals(to page: inout Roff) {
        page.section("Signals")
        page.entry(
            "SIGTERM, SIGINT",
            "Close the listeners, answer pending requests, and stop. A second signal stops gamed at once.")
        page.entry(
            "SIGHUP",
            "Reload the configuration, the flow files, the token file and the device file, as RELOAD does. The log's level, limits, users and groups "
                + "and the contents of those files change at once; the log names other settings that need a restart. If anything is wrong, "
                + "nothing changes, and the log gives the reason.")
    }

    private static func addEnvironment(to page: inout Roff) {
        page.section("Environment")
        page.entry(
            "GAMED_NAME",
            "The value of the option --name, where the command line does not give it: GAMED_LISTEN, GAMED_HTTP_OPEN. A flag is true or "
                + "false; several values are separated by blanks, with quotes around those that have some.")
        page.entry("GAMED_TOKEN", "The token, unless --token-file or GAMED_TOKEN_FILE name one.")
        page.entry(
            "JOURNAL_STREAM",
            "If it names standard error, systemd's journal gets the log: with levels, and with the fields SESSION, FLOW, EVENT and CODE, by which "
                + "journalctl finds lines. The link that logs in to the page is not printed then: gamectl page makes one.")
        page.entry(
            "NOTIFY_SOCKET, WATCHDOG_USEC",
            "gamed reports its state to systemd (Type=notify): ready once all sessions are restored, reloading, "
                + "stopping, and twice in each watchdog interval that its loop does not hang.")
        page.entry(
            "LISTEN_FDS, LISTEN_FDNAMES",
            "Sockets that systemd has opened, by the names of their units' FileDescriptorName=: gamed for the UNIX socket, tcp, and http for "
                + "the page. They replace --socket and --http, and are used in addition to --listen; beyond loopback they need a token as those "
                + "do. Their files and modes do not change, and they keep listening while gamed restarts. A socket without a name is used by its "
                + "family: a UNIX socket is for commands; so is a TCP socket, unless --http has its port: then it is the page's."
        )
        page.entry(
            "RUNTIME_DIRECTORY, STATE_DIRECTORY", "The directories of the socket and of saved sessions, as systemd gives them.")
        page.entry(
            "XDG_RUNTIME_DIR, XDG_DATA_HOME",
            "The directories that the socket's folder and the data directory are in, if gamed is not run by root.")
    }

    private static func addFiles(to page: inout Roff) {
        page.section("Files")
        page.entry(Options.usualConfiguration, "The configuration.")
        page.entry(
            "/run/gamed/gamed.sock",
            "The socket if root runs gamed. For other users: $XDG_RUNTIME_DIR/gamed/gamed.sock, or else "
                + "/tmp/gamed-UID/gamed.sock.")
        page.entry(
            "/var/lib/gamed",
            "Sessions and their history if root runs gamed. For other users: $XDG_DATA_HOME/gamed, or else ~/.local/share/gamed."
        )
        page.entry("/usr/share/doc/gamed/docs", "The documents that this page names: docs/TLS.md is TLS.md there.")
        page.entry("/usr/share/gamed/monitoring", "Alerts for Prometheus, and a dashboard for Grafana.")
    }
}
