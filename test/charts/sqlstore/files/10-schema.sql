CREATE TABLE café (id bigint PRIMARY KEY, note text);
-- ends without a template: {{ not rendered }}
