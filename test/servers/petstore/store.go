// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/rand"
	"fmt"
	"sort"
	"sync"
)

// Date is a calendar date.
type Date struct {
	Year  int32 `json:"year"`
	Month int32 `json:"month"`
	Day   int32 `json:"day"`
}

// Pet is an entry of the store.
type Pet struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Type     string `json:"type"`
	Birthday Date   `json:"birthday"`
}

// petTypes are the names of the types, by their numbers in petstore.proto.
var petTypes = []string{"PTUnknown", "PTCanine", "PTFeline", "PTBird", "PTReptile"}

// Check returns why a pet cannot be stored.
func (p Pet) Check() error {
	known := false
	for _, name := range petTypes[1:] {
		known = known || name == p.Type
	}
	switch {
	case p.Name == "":
		return fmt.Errorf("a pet needs a name")
	case !known:
		return fmt.Errorf("%q is not a type of pets", p.Type)
	case p.Birthday.Year < 1 || p.Birthday.Month < 1 || p.Birthday.Month > 12 || p.Birthday.Day < 1 || p.Birthday.Day > 31:
		return fmt.Errorf("%v is not a date", p.Birthday)
	}
	return nil
}

// Store holds pets in memory. It is safe for concurrent use.
type Store struct {
	mutex sync.Mutex
	pets  map[string]Pet
}

// NewStore returns an empty store.
func NewStore() *Store { return &Store{pets: map[string]Pet{}} }

func newID() string {
	var b [16]byte
	rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Add stores pets under new ids, or none of them.
func (s *Store) Add(pets []Pet) ([]string, error) {
	for _, pet := range pets {
		if err := pet.Check(); err != nil {
			return nil, err
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	ids := []string{}
	for _, pet := range pets {
		pet.ID = newID()
		s.pets[pet.ID] = pet
		ids = append(ids, pet.ID)
	}
	return ids, nil
}

// Update replaces a pet and reports whether it is there.
func (s *Store) Update(pet Pet) (bool, error) {
	if err := pet.Check(); err != nil {
		return false, err
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, found := s.pets[pet.ID]
	if found {
		s.pets[pet.ID] = pet
	}
	return found, nil
}

// Delete removes a pet and reports whether it was there.
func (s *Store) Delete(id string) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	_, found := s.pets[id]
	delete(s.pets, id)
	return found
}

// Get returns a pet and whether it is there.
func (s *Store) Get(id string) (Pet, bool) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	pet, found := s.pets[id]
	return pet, found
}

// All returns the pets, ordered by id.
func (s *Store) All() []Pet {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	all := []Pet{}
	for _, pet := range s.pets {
		all = append(all, pet)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].ID < all[j].ID })
	return all
}

// Clear forgets every pet, as a restart does.
func (s *Store) Clear() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.pets = map[string]Pet{}
}
