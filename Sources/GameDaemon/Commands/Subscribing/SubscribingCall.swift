// What the four subscribing commands have in common.

import RESP

extension Call {
    func subscribe(_ kind: Subscriptions.Kind, _ word: String) throws(CommandError) {
        for index in 1..<count {
            try daemon.subscriptions.add(client, kind, text(index))
            confirm(word, text(index))
        }
    }

    func unsubscribe(_ kind: Subscriptions.Kind, _ word: String) {
        let names = count > 1 ? (1..<count).map(text) : daemon.subscriptions.names(of: client, kind).sorted()
        for name in names {
            daemon.subscriptions.remove(client, kind, name)
            confirm(word, name)
        }
        if names.isEmpty { confirm(word, nil) }
    }

    private func confirm(_ word: String, _ name: String?) {
        reply.append(pushOf: 3)
        reply.append(bulk: word)
        if let name { reply.append(bulk: name) } else { reply.appendNull() }
        reply.append(integer: daemon.subscriptions.count(of: client))
    }
}
