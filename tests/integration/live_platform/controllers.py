"""Several controllers of one cluster, which share their log by an etcd."""

import glob
import os
import re
import shutil

from .cli import Cli
from .cluster import Cluster
from .etcd import Etcd
from .waiting import eventually


class Controllers(Cluster):
    """`controller` and `cli` are those of the one that leads."""

    def __init__(self, binary, controllers=3, members=1, etcd=None, **options):
        super().__init__(binary, **options)
        self.etcd = etcd or Etcd(members)
        self._first_words = self.controller.words[1:]
        self._first_place = (self.state, self.run_directory)
        self.controllers = [self.controller]
        self.places = {self.controller: self._first_place}
        self.controller.words += self._sharing(1)
        for k in range(2, controllers + 1):
            self.controllers.append(self.another(k))
        everywhere = ",".join(f"unix:{run}/control.sock" for _, run in self.places.values())
        for agent in self.agents:
            agent.words = [everywhere if word == f"unix:{self.run_directory}/control.sock" else word
                           for word in agent.words]

    def _sharing(self, k):
        return ["--store", self.etcd.store, "--controller-name", f"c{k}"]

    def another(self, k):
        """Controller number `k`, which is not started."""
        place = (os.path.join(self.directory, f"state-{k}"), os.path.join(self.directory, f"run-{k}"))
        places = dict(zip(self._first_place, place))
        words = [places.get(word, word) for word in self._first_words]
        controller = self._daemon(f"controller-{k}", *words)
        controller.words += self._sharing(k)
        self.places[controller] = place
        return controller

    def start_controller(self):
        self.etcd.start()
        super().start_controller()
        for controller in self.controllers[1:]:
            state, _ = self.places[controller]
            os.makedirs(state, mode=0o711)
            for name in ("join-token", *glob.glob("authority*", root_dir=self.state)):
                shutil.copy(f"{self.state}/{name}", f"{state}/{name}")
            controller.start()
            self.await_standby(controller)

    def await_standby(self, controller):
        eventually(lambda: self._alive(controller) and "standby: this controller" in controller.text_of_run(),
                   lambda: f"{controller.name} is a standby\n{self.logs()}")

    def await_leader(self, other_than):
        """Until one leads; from then on it is `controller`."""
        def leads():
            for one in self.controllers:
                if one is not other_than and one.runs() and "controller runs" in one.text_of_run():
                    return one
            return None
        self.controller = eventually(leads, lambda: f"another controller leads\n{self.logs()}")
        self.state, self.run_directory = self.places[self.controller]
        self.cli = Cli(self.binary, self.run_directory)
        eventually(lambda: self.cli("status").code == 0, lambda: f"it answers\n{self.logs()}")
        return self.controller

    def port_of(self, controller, door):
        """Of a leader or a standby; `door`: "HTTP" or "gRPC"."""
        words = controller.text_of_run()
        found = re.findall(rf"{'agents' if door == 'gRPC' and 'controller runs' in words else door} at port (\d+)", words)
        return int(found[-1])

    def cli_of(self, controller):
        return Cli(self.binary, self.places[controller][1])

    def logs(self):
        others = [one for one in self.controllers if one is not self.controller and os.path.exists(one.log_path)]
        return super().logs() + "".join(f"\n--- {one.name}\n{one.text()[-4000:]}" for one in others)

    def leftovers(self):
        mine = {one.pid for one in self.controllers if one.runs()}
        return [found for found in super().leftovers()
                if not any(found.startswith(f"process {pid}:") for pid in mine)]

    def stop(self):
        """The standbys first: none of them is to lead."""
        standbys = [one.stop() for one in self.controllers if one is not self.controller and one.runs()]
        return standbys + super().stop()

    def close(self):
        try:
            super().close()
        finally:
            self.etcd.close()
