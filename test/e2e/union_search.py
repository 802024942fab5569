# SPDX-License-Identifier: Apache-2.0
"""Finds the members of built-in kinds that exclude each other, by trying: two that the server takes
one at a time, but not together.
"""

import concurrent.futures
import copy
import dataclasses

from e2e import immutables
from e2e.raw_chart import NAME
from e2e.union_forms import HEAD, Corrector, Schemas, Server, get, with_value

# The members of a struct with these are tried beside one that needs more than itself.
BASES_MAX = 12
THREADS = 6
# The name of the objects that are tried.
WORD = "union-word"
# Their objects hold those of others; the first kind with a definition is the one that is searched.
FIRST = "apps/v1/Deployment"
# Parts of a pod that other parts name.
BESIDE = {
    "volumes": [{"name": "a", "emptyDir": {}}],
    "resourceClaims": [{"name": "a", "resourceClaimName": "a"}],
}
LAST = ("v1/Pod", "batch/v1/Job", "v1/PodTemplate", "storage.k8s.io/v1/VolumeAttachment")


@dataclasses.dataclass(frozen=True)
class Form:
    """An object in which a struct has one member, and what the server needs beside that."""

    label: str
    member: str
    obj: dict
    struct: dict

    def own(self) -> dict:
        """Returns the member."""
        return {self.member: self.struct[self.member]}

    def needs(self) -> dict:
        """Returns what it needs beside that."""
        return {key: value for key, value in self.struct.items() if key != self.member}


@dataclasses.dataclass
class Union:
    """The members of a struct that exclude others, and one refusal."""

    kind: str
    path: tuple
    forms: list[Form]
    pairs: list[tuple[int, int]]
    refusal: str
    definition: str = ""
    is_moved: bool = False  # Found in another kind; here it has one of its pairs.

    def cover(self) -> list[tuple[Form, Form]]:
        """Returns pairs in which each form is at least once."""
        chosen, covered = [], set()
        for pair in sorted(self.pairs, key=lambda pair: abs(pair[0] - pair[1])):
            if not covered & set(pair):
                chosen.append(pair)
                covered |= set(pair)
        for place in range(len(self.forms)):
            if place not in covered:
                chosen.append(next(pair for pair in self.pairs if place in pair))
                covered |= set(chosen[-1])
        return [(self.forms[one], self.forms[two]) for one, two in chosen]


@dataclasses.dataclass(frozen=True)
class Place:
    """A struct in a valid object."""

    kind: str
    path: tuple
    definition: str
    host: dict


def text_of(path: tuple) -> str:
    """Returns a path as people write it."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


class Search:
    """Walks the kinds of a server; each definition once, and again where its unions are found in
    another kind.
    """

    def __init__(self, server: Server, schemas: Schemas):
        self.unions: list[Union] = []
        self.untried: list[tuple[str, str, str, str]] = []
        self.kinds = 0
        self.structs = 0
        self.forms = 0
        self._server, self._schemas = server, schemas
        self._first: dict[str, Place] = {}
        self._moved_to: set[tuple[str, str]] = set()
        self._pool = concurrent.futures.ThreadPoolExecutor(THREADS)

    def run(self) -> None:
        """Searches all kinds."""
        kinds = sorted(self._schemas.kinds, key=lambda kind: (kind != FIRST, kind in LAST, kind))
        for kind in kinds:
            host, error = self._base_of(kind)
            if host is None:
                self.untried.append((kind, "", "", str(error and error.message)))
                continue
            self.kinds += 1
            level = [Place(kind, (), self._schemas.kinds[kind], host)]
            while level:
                level = self._search(level)

    def _base_of(self, kind: str):
        api_version, _, name = kind.rpartition("/")
        head = {"apiVersion": api_version, "kind": name}
        obj = next((o for o in immutables.OBJECTS if head.items() <= o.items()), None)
        if obj is None:
            obj = {**head, "metadata": {"name": NAME}}
            schema = self._schemas.at(kind, ())
            for key in schema.get("required", ()):
                if key not in HEAD:
                    obj[key] = self._schemas.make(schema["properties"][key], key)
        obj = renamed(obj, WORD, NAME)
        if self._server.kube.discovery.resolve(kind).namespaced:
            obj["metadata"]["namespace"] = self._server.namespace
        if kind == FIRST:
            obj["spec"]["template"]["spec"] |= copy.deepcopy(BESIDE)
        return self._server.completed(Corrector(self._schemas, kind, (), (), locked=False), obj)

    def _search(self, level: list[Place]) -> list[Place]:
        """Looks at structs, and returns those in them."""
        fresh = []
        for place in level:
            first = self._first.setdefault(place.definition, place)
            if first is place:
                fresh.append(place)
            elif first.kind != place.kind and (place.kind, place.definition) not in self._moved_to:
                self._moved_to.add((place.kind, place.definition))
                self._transplant(first, place)
        self.structs += len(fresh)
        all_forms = self._forms_of(fresh)
        self.forms += sum(map(len, all_forms))
        found = self._pool.map(self._exclusions, fresh, all_forms)
        self.unions += [union for union in found if union is not None]
        both = zip(fresh, all_forms, strict=True)
        return [below for place, forms in both for below in self._below(place, forms)]

    def _forms_of(self, places: list[Place]) -> list[list[Form]]:
        """Returns the forms of each struct. A member that is not valid alone is tried again beside
        those of which there are several, such as a type.
        """
        forms: list[list[Form]] = [[] for _ in places]
        wanted = [(n, *each) for n, place in enumerate(places) for each in self._wanted(place)]
        messages: dict[tuple, str] = {}
        for is_last in (False, True):
            asked = [
                (places[n], bases_of(forms[n], wanted, n, each[1]) if is_last else [], *each)
                for n, *each in wanted
            ]
            answers = list(self._pool.map(lambda each: self._alone(*each), asked))
            left = []
            for (number, *each), (form, answer) in zip(wanted, answers, strict=True):
                message = messages.setdefault((number, each[0]), answer)
                if form is not None:
                    forms[number].append(form)
                elif is_last:
                    place = places[number]
                    self.untried.append((place.kind, text_of(place.path), each[0], message))
                else:
                    left.append((number, *each))
            wanted = left
        return forms

    def _wanted(self, place: Place):
        """Yields label, name and value of what is to be tried in a struct."""
        properties = self._schemas.definitions[place.definition].get("properties", {})
        around = self._schemas.at(place.kind, place.path[:-1]) if place.path else {}
        # Another value of a key makes another item.
        keys = around.get("x-kubernetes-list-map-keys", ())
        left_out = keys if place.path else HEAD
        for name, schema in properties.items():
            if name in left_out or self._schemas.name_of(schema).endswith("ObjectMeta"):
                continue
            for label, value in self._schemas.variants(place.definition, name):
                yield label, name, value

    def _alone(self, place: Place, others: list[dict], label: str, name: str, value: object):
        """Returns the form with one member, or what the server says of the first try. `others` are
        structs in which it is tried; none at first.
        """
        schema = self._schemas.definitions[place.definition]
        there = self._members(place, place.host)
        least = {
            key: there[key] if key in there else self._schemas.make(schema["properties"][key], key)
            for key in schema.get("required", ())
        }
        if label == name and name in there:
            value = there[name]
        least |= {key: there[key] for key in BESIDE if is_pod(place) and key in there}
        path, first, asked = (*place.path, name), "", []
        for base in others[:BASES_MAX] if others else (least, there):
            struct = {**base, name: value}
            if struct in asked:
                continue
            asked.append(struct)
            is_locked = label != name
            corrector = Corrector(self._schemas, place.kind, place.path, path, locked=is_locked)
            obj, error = self._server.completed(corrector, self._with(place, struct))
            if obj is not None and name in (get(obj, place.path) or {}):
                return Form(label, name, obj, self._members(place, obj)), ""
            first = first or (error.message if error else "it is dropped")
        return None, first

    def _members(self, place: Place, obj: dict) -> dict:
        """Returns the struct of an object, but for the head of the object."""
        struct = get(obj, place.path) or {}
        return {key: value for key, value in struct.items() if place.path or key not in HEAD}

    def _with(self, place: Place, struct: dict) -> dict:
        if place.path == ():
            struct = {**{k: v for k, v in place.host.items() if k in HEAD}, **struct}
        return with_value(place.host, place.path, struct)

    def _exclusions(self, place: Place, forms: list[Form]) -> Union | None:
        """Returns the pairs that exclude each other. Forms are put into classes in which none does,
        so that a new one is tried with a whole class.
        """
        classes: list[list[int]] = []
        pairs, refusal = [], ""
        for new in range(len(forms)):
            home = None
            for one in classes:
                against, message = self._against(place, forms, one, new)
                pairs += [(old, new) for old in against if forms[old].member != forms[new].member]
                refusal = refusal or message
                home = home if home is not None or against else one
            if home is None:
                classes.append([new])
            else:
                home.append(new)
        if not pairs:
            return None
        used = sorted({place for pair in pairs for place in pair})
        numbers = {old: number for number, old in enumerate(used)}
        pairs = sorted((numbers[one], numbers[two]) for one, two in pairs)
        chosen = [forms[old] for old in used]
        return Union(place.kind, place.path, chosen, pairs, refusal, place.definition)

    def _against(self, place: Place, forms: list[Form], old: list[int], new: int):
        """Returns those of `old` that exclude `new`, and one refusal."""
        others = [each for each in old if forms[each].member != forms[new].member]
        same = [each for each in old if forms[each].member == forms[new].member]
        message = self._refusal_together(place, [forms[each] for each in others], forms[new])
        if not message:
            return same, ""
        if len(others) == 1:
            return same + others, message
        half = len(others) // 2
        left, first = self._against(place, forms, others[:half], new)
        right, second = self._against(place, forms, others[half:], new)
        return same + left + right, first or second

    def _refusal_together(self, place: Place, old: list[Form], new: Form) -> str:
        if not old or (len(old) == 1 and (holds(old[0], new) or holds(new, old[0]))):
            return ""
        own, needs = {}, {}
        for form in old:
            own |= form.own()
            needs |= form.needs()
        own |= new.own()
        asked, message = [], ""
        for least in (needs | new.needs(), new.needs() | needs, new.needs(), needs, {}):
            struct = least | own
            if struct in asked:
                continue
            asked.append(struct)
            error = self._server.refusal_of(self._with(place, struct))
            if error is None:
                return ""
            message = message or error.message
        return message

    def _below(self, place: Place, forms: list[Form]):
        """Yields the structs in the members of a struct."""
        properties = self._schemas.definitions[place.definition].get("properties", {})
        seen = set()
        for form in forms:
            if form.member in seen:
                continue
            seen.add(form.member)
            schema, path = properties[form.member], (*place.path, form.member)
            value = get(form.obj, path)
            while isinstance(value, (list, dict)) and value:
                name = self._schemas.name_of(schema)
                if name and "properties" in self._schemas.definitions[name]:
                    break
                step = 0 if isinstance(value, list) else next(iter(value))
                schema, path, value = self._schemas.below(schema, step), (*path, step), value[step]
            name = self._schemas.name_of(schema)
            has_members = "properties" in self._schemas.definitions.get(name, {})
            if isinstance(value, dict) and has_members and not name.endswith("ObjectMeta"):
                yield Place(place.kind, path, name, form.obj)

    def _transplant(self, first: Place, place: Place) -> None:
        """Puts the unions of a definition, found in one kind, into another one."""
        length = len(first.path)
        inside = [
            union
            for union in self.unions
            if union.kind == first.kind and union.path[:length] == first.path
        ]
        for union in inside:
            path = (*place.path, *union.path[length:])
            one, two = union.cover()[0]
            forms = [self._moved(form, first, place, path) for form in (one, two)]
            if None in forms:
                continue
            there = dataclasses.replace(place, path=path, host=forms[0].obj)
            refusal = self._refusal_together(there, forms[:1], forms[1])
            if refusal:
                both = (forms, [(0, 1)], refusal, union.definition)
                self.unions.append(Union(place.kind, path, *both, is_moved=True))

    def _moved(self, form: Form, first: Place, place: Place, path: tuple) -> Form | None:
        obj = with_value(place.host, place.path, get(form.obj, first.path))
        kept = (*path, form.member)
        corrector = Corrector(self._schemas, place.kind, place.path, kept, locked="=" in form.label)
        obj, _ = self._server.completed(corrector, obj)
        if obj is None:
            return None
        return dataclasses.replace(form, obj=obj, struct=get(obj, path))


def bases_of(forms: list[Form], wanted: list[tuple], number: int, name: str) -> list[dict]:
    """Returns structs with a member of which there are several values, valid ones first."""
    valid = [form.struct for form in forms if "=" in form.label and form.member != name]
    others = [each for each in wanted if each[0] == number and "=" in each[1] and each[2] != name]
    return valid + [{other: value} for _, _, other, value in others]


def is_pod(place: Place) -> bool:
    """Reports whether a struct is the spec of a pod."""
    return place.definition.endswith(".PodSpec")


def holds(one: Form, other: Form) -> bool:
    """Reports whether a form has the member of another one: they do not exclude each other."""
    has = other.member in one.struct
    return has and ("=" not in other.label or one.struct[other.member] == other.own()[other.member])


def renamed(obj: dict, name: str, word: str = WORD) -> dict:
    """Returns a copy of an object with a name in place of a word. A CRD gets a group of its own."""

    def replaced(value: object):
        if isinstance(value, dict):
            return {replaced(key): replaced(member) for key, member in value.items()}
        if isinstance(value, list):
            return [replaced(item) for item in value]
        return value.replace(word, name) if isinstance(value, str) else value

    return replaced(obj)
