import Commands

extension MetricsWriter {
    mutating func addClients(_ host: Host) {
        family("gamed_requests_total", .counter, "Requests carried out.")
        sample(host.requestCount)
        family("gamed_subscriptions", .gauge, "Channels and patterns that clients have subscribed to.")
        sample(host.subscriptions.count)
        family("gamed_wrong_tokens_total", .counter, "Tokens that were not right.")
        sample(host.access.wrongTokens)
        guard let clients = host.clients?.figures else { return }
        let (unix, tcp) = (MetricLabel("transport", "unix"), MetricLabel("transport", "tcp"))
        family("gamed_connections", .gauge, "Connections that are open, by transport.")
        sample(clients.unix, unix)
        sample(clients.tcp, tcp)
        family("gamed_connections_accepted_total", .counter, "Connections since the start, by transport.")
        sample(clients.acceptedUnix, unix)
        sample(clients.acceptedTcp, tcp)
        family("gamed_connections_refused_total", .counter, "Connections that were refused.")
        sample(clients.refused)
        family(
            "gamed_connections_cut_off_total", .counter, "Connections that were cut off: they did not read, or held too much.")
        sample(clients.cutOff)
        family("gamed_client_memory_bytes", .gauge, "What is held for all clients together.")
        sample(clients.bytes)
    }
}
