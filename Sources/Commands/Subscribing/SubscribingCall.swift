// What the six subscribing commands have in common.

import Memory
import RESP

extension Call {
    func subscribe(_ kind: Subscriptions.Kind, _ word: StaticString) throws(CommandError) {
        for index in 1..<count {
            let name = ByteString(arguments[index].bytes)
            try host.subscriptions.add(client, kind, name)
            confirm(word, kind, name)
        }
    }

    func unsubscribe(_ kind: Subscriptions.Kind, _ word: StaticString) {
        guard count > 1 else { return unsubscribeAll(kind, word) }
        for index in 1..<count {
            let name = ByteString(arguments[index].bytes)
            host.subscriptions.remove(client, kind, name)
            confirm(word, kind, name)
        }
    }

    private func unsubscribeAll(_ kind: Subscriptions.Kind, _ word: StaticString) {
        let names = host.subscriptions.names(of: client, kind).sorted()
        for name in names {
            host.subscriptions.remove(client, kind, name)
            confirm(word, kind, name)
        }
        if names.isEmpty { confirm(word, kind, nil) }
    }

    private func confirm(_ word: StaticString, _ kind: Subscriptions.Kind, _ name: ByteString?) {
        replies += 1
        // Within EXEC's reply, it is a part of that.
        if client.isExecuting { reply.append(arrayOf: 3) } else { reply.append(pushOf: 3) }
        reply.append(bulk: word.description)
        if let name { name.withBytes { reply.append(bulk: $0) } } else { reply.appendNull() }
        reply.append(integer: client.count(of: kind))
    }
}
